package protocol

// The ids of what this package reports. Package check explains them.
const (
	ruleSyntax    = "yaml-syntax"
	ruleAlias     = "yaml-alias" // anchors, aliases, merge keys
	ruleTag       = "yaml-tag"
	ruleDocuments = "yaml-documents"
	ruleCharacter = "yaml-character"
	ruleSize      = "yaml-size"
	ruleAmbiguous = "yaml-ambiguous"
	ruleUnknown   = "key-unknown"
	ruleDuplicate = "key-duplicate"
	ruleMissing   = "key-missing"
	ruleLater     = "key-later"
	ruleKind      = "value-kind"
	ruleValue     = "value-set"
	ruleName      = "name-shape"
	ruleWaiver    = "waive-reason"
)
