/**
 * What the server's Node is started with, by whoever starts it. V8 sizes its young generation by the machine's
 * memory (128 MB at 24 GB) and fills it with the first thing that makes garbage: an export of 100,000 devices
 * then peaks 57 MB over idle. It also begins with 1 MB and promotes what a larger one would have seen die: with
 * commands to 10,000 devices the server took 106 µs a command at 16 MB, 93 at 32, and 90 where it begins with 16.
 * The export's peak is 15 MB higher at 32 than at 16. At 4, ingest and lists were a tenth to a third slower.
 */
export const serverFlags = ['--min-semi-space-size=16', '--max-semi-space-size=32']
