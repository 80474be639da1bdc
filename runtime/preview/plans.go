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

// Bounds of how long a plan can be carried out.
const (
	MaxTTL = 24 * time.Hour // from the preview
	// MaxHeld is with all the time for which somebody is asked about it: whoever is
	// asked at the last moment has as long as an approval lasts.
	MaxHeld = 2 * MaxTTL
)
