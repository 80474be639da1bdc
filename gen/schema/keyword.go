package schema

// A form is what the value of a keyword has to be.
type form uint8

const (
	formAny form = iota
	formText
	formBool
	formNumber
	formCount   // an integer from 0 on
	formNames   // a list of different strings
	formNameMap // of lists of names
	formType
	formValues // a list of any values
	formSchema
	formSchemas   // a list of schemas
	formSchemaMap // of schemas, by name
	formRefused
)

// A keyword is one row of the vocabulary.
type keyword struct {
	form    form
	applies string // the type it constrains; empty for all
	inPlace bool   // its schemas look at the same value as the schema it stands in
	rule    string // of a refused keyword
	help    string // for a refused keyword: what to do instead
}

// vocabulary returns every keyword that is known, with those that are known
// and refused.
func vocabulary() map[string]keyword {
	return map[string]keyword{
		"$schema":     {form: formText},
		"$comment":    {form: formText},
		"$ref":        {form: formText, inPlace: true},
		"$defs":       {form: formSchemaMap},
		"definitions": {form: formSchemaMap},

		"title":       {form: formText},
		"description": {form: formText},
		"examples":    {form: formValues},
		"deprecated":  {form: formBool},
		"readOnly":    {form: formBool},
		"writeOnly":   {form: formBool},

		"type":  {form: formType},
		"enum":  {form: formValues},
		"const": {form: formAny},

		"allOf": {form: formSchemas, inPlace: true},
		"anyOf": {form: formSchemas, inPlace: true},
		"oneOf": {form: formSchemas, inPlace: true},
		"not":   {form: formSchema, inPlace: true},
		"if":    {form: formSchema, inPlace: true},
		"then":  {form: formSchema, inPlace: true},
		"else":  {form: formSchema, inPlace: true},

		"properties":            {form: formSchemaMap, applies: "object"},
		"patternProperties":     {form: formSchemaMap, applies: "object"},
		"additionalProperties":  {form: formSchema, applies: "object"},
		"unevaluatedProperties": {form: formSchema, applies: "object"},
		"propertyNames":         {form: formSchema, applies: "object"},
		"required":              {form: formNames, applies: "object"},
		"dependentRequired":     {form: formNameMap, applies: "object"},
		"dependentSchemas":      {form: formSchemaMap, applies: "object", inPlace: true},
		"minProperties":         {form: formCount, applies: "object"},
		"maxProperties":         {form: formCount, applies: "object"},

		"items":            {form: formSchema, applies: "array"},
		"prefixItems":      {form: formSchemas, applies: "array"},
		"unevaluatedItems": {form: formSchema, applies: "array"},
		"contains":         {form: formSchema, applies: "array"},
		"minContains":      {form: formCount, applies: "array"},
		"maxContains":      {form: formCount, applies: "array"},
		"minItems":         {form: formCount, applies: "array"},
		"maxItems":         {form: formCount, applies: "array"},
		"uniqueItems":      {form: formBool, applies: "array"},

		"minLength": {form: formCount, applies: "string"},
		"maxLength": {form: formCount, applies: "string"},
		"pattern":   {form: formText, applies: "string"},

		"minimum":          {form: formNumber, applies: "number"},
		"maximum":          {form: formNumber, applies: "number"},
		"exclusiveMinimum": {form: formNumber, applies: "number"},
		"exclusiveMaximum": {form: formNumber, applies: "number"},
		"multipleOf":       {form: formNumber, applies: "number"},

		"format": {form: formText},

		"default":          {form: formRefused, rule: Default, help: "remove it; let the handler choose a value where the property is absent, and say so in the description"},
		"contentEncoding":  {form: formRefused, rule: Format, help: "say it in the description and check it in the handler, or write a pattern"},
		"contentMediaType": {form: formRefused, rule: Format, help: "say it in the description and check it in the handler"},
		"contentSchema":    {form: formRefused, rule: Format, help: "say it in the description and check it in the handler"},
		"$id":              {form: formRefused, rule: Unsupported, help: "remove it; a schema of a tool stands alone, and $ref reaches its own $defs"},
		"id":               {form: formRefused, rule: Unsupported, help: "remove it; draft-04 is not supported"},
		"$anchor":          {form: formRefused, rule: Unsupported, help: "put the schema under $defs and refer to it with $ref: \"#/$defs/name\""},
		"$dynamicAnchor":   {form: formRefused, rule: Unsupported, help: "put the schema under $defs and refer to it with $ref: \"#/$defs/name\""},
		"$dynamicRef":      {form: formRefused, rule: Unsupported, help: "use $ref: \"#/$defs/name\""},
		"$recursiveAnchor": {form: formRefused, rule: Unsupported, help: "use $ref: \"#\" or $ref: \"#/$defs/name\""},
		"$recursiveRef":    {form: formRefused, rule: Unsupported, help: "use $ref: \"#\" or $ref: \"#/$defs/name\""},
		"$vocabulary":      {form: formRefused, rule: Unsupported, help: "remove it"},
		"dependencies":     {form: formRefused, rule: Unsupported, help: "use dependentRequired for lists of names, dependentSchemas for schemas"},
		"additionalItems":  {form: formRefused, rule: Unsupported, help: "use prefixItems, and items for what follows"},
		"nullable":         {form: formRefused, rule: Keyword, help: "write type: [string, \"null\"]"},
		"example":          {form: formRefused, rule: Keyword, help: "write examples: [ … ]"},
		"discriminator":    {form: formRefused, rule: Keyword, help: "give each alternative of oneOf a property with const"},
		"divisibleBy":      {form: formRefused, rule: Keyword, help: "use multipleOf"},
		"extends":          {form: formRefused, rule: Keyword, help: "use allOf"},
		"disallow":         {form: formRefused, rule: Keyword, help: "use not"},
	}
}
