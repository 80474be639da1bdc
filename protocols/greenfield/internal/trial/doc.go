// Package trial runs a program that nobody here vouches for: the tests of a
// repository. It bounds time and output, gives the program an environment made
// from nothing, and ends its process group with it.
//
// That is no sandbox. The program runs as the user who runs the server: it can
// read and write what that user can, fill the disk, use the network, and leave
// its process group. What it says is its own claim.
package trial
