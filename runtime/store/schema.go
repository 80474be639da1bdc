package store

// What a store says of itself in its header.
const (
	applicationID = 0x67775354 // "gwST"
	version       = 2          // of the schema
)

// schema is what a version holds, in the words in which SQLite keeps it: a store
// that holds anything else was changed by somebody. Texts are kept as the bytes
// that they are, times as nanoseconds since 1970 in UTC with 0 for never. A
// version adds to the one before it, and changes nothing of it.
func schema(of int) []string {
	statements := requestSchema()
	if of > 1 {
		statements = append(statements, planSchema()...)
	}
	return statements
}

// requestSchema is version 1: the requests for approval.
//
// Arguments and what is shown can be large and stand apart, so that a change of
// status writes little. What a person was shown never changes. Each partial index
// holds only the rows of which there are few, so that old requests cost nothing.
// The triggers hold once more what the statements see to.
func requestSchema() []string {
	return []string{
		`CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  binding BLOB NOT NULL,
  subject BLOB NOT NULL,
  protocol BLOB NOT NULL,
  digest BLOB NOT NULL,
  mode BLOB NOT NULL,
  tool BLOB NOT NULL,
  actor BLOB NOT NULL,
  session BLOB NOT NULL,
  workspace BLOB NOT NULL,
  call BLOB NOT NULL,
  why BLOB NOT NULL,
  asked_of BLOB NOT NULL,
  asked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'failed', 'timed_out', 'expired', 'stale', 'used')),
  round INTEGER NOT NULL DEFAULT 0,
  decided_at INTEGER NOT NULL DEFAULT 0,
  provider BLOB NOT NULL DEFAULT x'',
  approver BLOB NOT NULL DEFAULT x'',
  reason BLOB NOT NULL DEFAULT x'',
  used_at INTEGER NOT NULL DEFAULT 0,
  used_by BLOB NOT NULL DEFAULT x'',
  ended_at INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  CHECK ((status IN ('pending', 'approved')) = (ended_at = 0)),
  CHECK ((status = 'used') = (used_at <> 0))
) STRICT`,
		`CREATE TABLE details (
  request INTEGER PRIMARY KEY REFERENCES requests(seq) ON DELETE CASCADE,
  arguments BLOB NOT NULL,
  shown BLOB NOT NULL
) STRICT`,
		`CREATE UNIQUE INDEX requests_live ON requests(binding) WHERE status IN ('pending', 'approved')`,
		`CREATE INDEX requests_due ON requests(expires_at, asked_at) WHERE status IN ('pending', 'approved')`,
		`CREATE INDEX requests_pending ON requests(status) WHERE status = 'pending'`,
		`CREATE INDEX requests_untold ON requests(binding) WHERE told = 0 AND ended_at <> 0`,
		`CREATE INDEX requests_stale ON requests(subject) WHERE told = 0 AND status = 'stale'`,
		`CREATE INDEX requests_subject ON requests(subject)`,
		`CREATE INDEX requests_ended ON requests(ended_at) WHERE ended_at <> 0`,
		`CREATE TRIGGER requests_one_way BEFORE UPDATE OF status ON requests
WHEN NOT (OLD.status = 'pending' AND NEW.status IN ('approved', 'denied', 'failed', 'timed_out', 'stale')
  OR OLD.status = 'approved' AND NEW.status IN ('used', 'expired', 'stale'))
BEGIN SELECT RAISE(ABORT, 'a request that has ended stays as it is'); END`,
		`CREATE TRIGGER requests_bound BEFORE UPDATE OF seq, id, binding, subject, protocol, digest, mode, tool, actor, session, workspace, call, why, asked_of, asked_at, expires_at ON requests
BEGIN SELECT RAISE(ABORT, 'what a request is bound to stays as it is'); END`,
		`CREATE TRIGGER details_bound BEFORE UPDATE ON details
BEGIN SELECT RAISE(ABORT, 'what a request is bound to stays as it is'); END`,
	}
}
