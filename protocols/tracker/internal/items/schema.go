package items

// What a tracker says of itself in its header.
const (
	applicationID = 0x67775452 // "gwTR"
	version       = 1          // of the schema below
)

// schema is what version 1 holds, in the words in which SQLite keeps it. Times
// are milliseconds since 1970 in UTC. The triggers hold once more what the
// statements see to: what was imported stays, and reports are only added.
func schema() []string {
	return []string{
		`CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE CHECK (length(key) = 32),
  document TEXT NOT NULL CHECK (length(document) <= 512),
  line INTEGER NOT NULL CHECK (line > 0),
  title TEXT NOT NULL CHECK (title <> '' AND length(title) <= 300),
  description TEXT NOT NULL CHECK (length(description) <= 8000),
  estimate INTEGER NOT NULL CHECK (estimate BETWEEN 0 AND 1000),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'doing', 'done', 'blocked')),
  revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0),
  actor TEXT NOT NULL,
  call TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT`,
		`CREATE TABLE reports (
  item INTEGER NOT NULL REFERENCES items(id),
  revision INTEGER NOT NULL CHECK (revision > 1),
  before TEXT NOT NULL CHECK (before IN ('open', 'doing', 'done', 'blocked')),
  after TEXT NOT NULL CHECK (after IN ('open', 'doing', 'done', 'blocked')),
  note TEXT NOT NULL CHECK (length(note) <= 4000),
  actor TEXT NOT NULL,
  call TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (item, revision)
) STRICT, WITHOUT ROWID`,
		`CREATE TRIGGER items_stay BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'an item stays'); END`,
		`CREATE TRIGGER items_bound BEFORE UPDATE OF id, key, document, line, title, description, estimate, actor, call, at ON items
BEGIN SELECT RAISE(ABORT, 'what was imported stays as it is'); END`,
		`CREATE TRIGGER items_advance BEFORE UPDATE OF state, revision ON items WHEN NEW.revision <> OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'a revision follows the one before'); END`,
		`CREATE TRIGGER reports_stay BEFORE DELETE ON reports
BEGIN SELECT RAISE(ABORT, 'a report stays'); END`,
		`CREATE TRIGGER reports_bound BEFORE UPDATE ON reports
BEGIN SELECT RAISE(ABORT, 'a report stays as it is'); END`,
	}
}
