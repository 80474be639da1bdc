// Package bench holds no code of gatewright: it measures, in its tests, what a
// gate costs, beside the same tool without one.
//
// It makes a module in a temporary folder, generates and builds it with the
// real command, and runs real child processes over stdio. What is compared is
// measured in turns within one run, so that whatever else the machine does
// meets both sides:
//
//   - bare is a server on the SDK alone, in the folder bare. It has one tool
//     three times: raw, typed as most servers are written, and synced, which
//     makes a line of a file durable before it answers;
//   - stored is the same with SQLite, in the folder stored. Its tool keeps a row
//     in one transaction before it answers;
//   - gated is the server of testdata/module.txtar, which has the same tool as a
//     read and as a write;
//   - phased is that of another mode, which has the tool as a preview and a
//     commit. Both calls together are held against the one call of stored.
//
// BenchmarkSideBySide prints one table and gives the calls as Go benchmarks.
// Nothing here fails for being slow.
package bench
