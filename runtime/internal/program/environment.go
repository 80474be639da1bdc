package program

import (
	"os"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Environment returns the environment of a program, as [Call] takes it: PATH
// with the folders of the system, HOME as the user database gives it, and those
// of the named variables that this process has. A name may be PATH or HOME; the
// value of this process is taken then. Nothing else is passed on.
func Environment(allowed []string) []string {
	values := map[string]string{"PATH": systemPath()}
	if account, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil {
		values["HOME"] = account.HomeDir
	}
	for _, name := range allowed {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			continue
		}
		if value, set := os.LookupEnv(name); set {
			values[name] = value
		}
	}
	environment := make([]string, 0, len(values))
	for name, value := range values {
		environment = append(environment, name+"="+value)
	}
	slices.Sort(environment)
	return environment
}

func systemPath() string {
	if runtime.GOOS == "windows" {
		return `C:\Windows\System32;C:\Windows`
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}
