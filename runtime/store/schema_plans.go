package store

// planSchema is what version 2 adds: the plans of previews. Of a handle only
// the hash is kept; sum is that of what a plan holds. What a plan holds and how
// it ended can be large and stand apart, so that they can be deleted and a
// tombstone stays.
//
// A row has three parts: what the preview made, which never changes; who began
// to carry it out, which changes with the status alone; and, where that was
// interrupted, what a person found. Whatever ends a plan deletes what it holds,
// and nothing else does.
func planSchema() []string {
	return []string{
		`CREATE TABLE plans (
  seq INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  tool BLOB NOT NULL,
  digest BLOB NOT NULL,
  mode BLOB NOT NULL,
  actor BLOB NOT NULL,
  call BLOB NOT NULL,
  size INTEGER NOT NULL,
  sum BLOB NOT NULL CHECK (length(sum) = 32),
  made_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ready', 'begun', 'committed', 'failed', 'partial', 'interrupted', 'resolved', 'expired', 'stale')),
  key BLOB NOT NULL DEFAULT x'',
  begun_by BLOB NOT NULL DEFAULT x'',
  begun_in BLOB NOT NULL DEFAULT x'',
  owner BLOB NOT NULL DEFAULT x'',
  begun_at INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'done', 'not_done', 'partly')),
  note BLOB NOT NULL DEFAULT x'',
  resolver BLOB NOT NULL DEFAULT x'',
  CHECK ((status IN ('ready', 'begun', 'interrupted')) = (ended_at = 0)),
  CHECK ((status IN ('ready', 'expired', 'stale')) = (begun_at = 0)),
  CHECK ((status = 'resolved') = (outcome <> ''))
) STRICT`,
		`CREATE TABLE bodies (
  plan INTEGER PRIMARY KEY REFERENCES plans(seq),
  body BLOB NOT NULL,
  recorded BLOB NOT NULL
) STRICT`,
		`CREATE TABLE endings (
  plan INTEGER PRIMARY KEY REFERENCES plans(seq) ON DELETE CASCADE,
  ended_at INTEGER NOT NULL,
  output BLOB NOT NULL,
  refusal BLOB NOT NULL
) STRICT`,
		`CREATE INDEX plans_due ON plans(expires_at, made_at) WHERE status = 'ready'`,
		`CREATE INDEX plans_ready ON plans(size) WHERE status = 'ready'`,
		`CREATE INDEX plans_open ON plans(status) WHERE status IN ('begun', 'interrupted')`,
		`CREATE UNIQUE INDEX plans_key ON plans(tool, key) WHERE key <> x''`,
		`CREATE INDEX plans_ended ON plans(ended_at) WHERE ended_at <> 0`,
		`CREATE INDEX endings_old ON endings(ended_at)`,
		`CREATE TRIGGER plans_one_way BEFORE UPDATE OF status ON plans
WHEN NOT (OLD.status = 'ready' AND NEW.status IN ('begun', 'expired', 'stale')
  OR OLD.status = 'begun' AND NEW.status IN ('ready', 'committed', 'failed', 'partial', 'interrupted')
  OR OLD.status = 'interrupted' AND NEW.status = 'resolved')
BEGIN SELECT RAISE(ABORT, 'a plan that has ended stays as it is'); END`,
		`CREATE TRIGGER plans_bound BEFORE UPDATE OF seq, hash, tool, digest, mode, actor, call, size, sum, made_at ON plans
BEGIN SELECT RAISE(ABORT, 'what a preview made stays as it is'); END`,
		`CREATE TRIGGER plans_held BEFORE UPDATE OF expires_at ON plans
WHEN NOT (OLD.status = 'ready' AND NEW.expires_at > OLD.expires_at AND NEW.expires_at <= OLD.made_at + 172800000000000)
BEGIN SELECT RAISE(ABORT, 'the time of a plan stays as it is'); END`,
		`CREATE TRIGGER plans_begun BEFORE UPDATE OF key, begun_by, begun_in, owner, begun_at ON plans
WHEN NOT (OLD.status = 'ready' AND NEW.status = 'begun' OR OLD.status = 'begun' AND NEW.status = 'ready')
BEGIN SELECT RAISE(ABORT, 'who began to carry a plan out stays as it is'); END`,
		`CREATE TRIGGER plans_resolved BEFORE UPDATE OF outcome, note, resolver ON plans
WHEN NOT (OLD.status = 'interrupted' AND NEW.status = 'resolved')
BEGIN SELECT RAISE(ABORT, 'what was found of a plan stays as it is'); END`,
		`CREATE TRIGGER plans_over AFTER UPDATE OF status ON plans WHEN NEW.ended_at <> 0
BEGIN DELETE FROM bodies WHERE plan = NEW.seq; END`,
		`CREATE TRIGGER plans_kept BEFORE DELETE ON plans WHEN OLD.ended_at = 0
BEGIN SELECT RAISE(ABORT, 'a plan that has not ended stays as it is'); END`,
		`CREATE TRIGGER bodies_bound BEFORE UPDATE ON bodies
BEGIN SELECT RAISE(ABORT, 'what a preview made stays as it is'); END`,
		`CREATE TRIGGER bodies_kept BEFORE DELETE ON bodies WHEN (SELECT ended_at FROM plans WHERE seq = OLD.plan) = 0
BEGIN SELECT RAISE(ABORT, 'what a preview made stays as it is'); END`,
		`CREATE TRIGGER endings_bound BEFORE UPDATE ON endings
BEGIN SELECT RAISE(ABORT, 'how a plan ended stays as it is'); END`,
	}
}
