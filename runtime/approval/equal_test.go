package approval

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever decides, decides about what they saw: a difference in any field is one.
func TestRequestsThatDifferAreNotEqual(t *testing.T) {
	now := time.Now()
	request := Request{ID: "A", By: []string{"queue"}, Arguments: []byte("{}"), AskedAt: now}
	elsewhere := request
	elsewhere.AskedAt = now.In(time.FixedZone("elsewhere", 3600))
	require.True(t, request.Equal(elsewhere))

	for i := range reflect.TypeFor[Request]().NumField() {
		other := request
		switch field := reflect.ValueOf(&other).Elem().Field(i); field.Interface().(type) {
		case time.Time:
			field.Set(reflect.ValueOf(now.Add(time.Second)))
		case []byte:
			field.SetBytes([]byte("[]"))
		case []string:
			field.Set(reflect.ValueOf([]string{"elicit"}))
		case int:
			field.SetInt(1)
		default:
			field.SetString("other")
		}
		require.False(t, request.Equal(other), reflect.TypeFor[Request]().Field(i).Name)
	}
}
