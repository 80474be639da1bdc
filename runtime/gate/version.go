package gate

// Generated1 is what generated code of the first form refers to. Code that
// does not compile for want of it was made by a generator older or newer than
// this runtime; generate it again with the version that go.mod names.
const Generated1 = true
