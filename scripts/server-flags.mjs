/**
 * Node flags of the server. V8 sizes its young generation by the machine's memory (128 MB at 24 GB) and fills it with
 * the first garbage: an export of 100,000 devices then peaks 57 MB over idle. It also starts with 1 MB, and promotes
 * objects that a larger one would have collected: with commands to 10,000 devices the server took 106 µs per command
 * at 16 MB, 93 at 32, and 90 when it starts with 16. The export's peak is 15 MB higher at 32 than at 16. At 4, ingest
 * and lists were a tenth to a third slower.
 */
export const serverFlags = ['--min-semi-space-size=16', '--max-semi-space-size=32']
