package preview

import (
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Plans keep what previews made. They are closed when no call uses them any
// more.
type Plans interface {
	gate.Plans
	Close() error
}

// MaxTTL bounds how long a plan can be carried out, however it is extended.
const MaxTTL = 24 * time.Hour
