/**
 * What the server's Node is started with, by whoever starts it. V8 sizes its young generation by the machine's
 * memory (128 MB at 24 GB) and fills it with the first thing that makes garbage: an export of 100,000 devices
 * then takes 57 MB over idle, with 16 MB 13 to 31. At 4, ingest and lists were a tenth to a third slower.
 */
export const serverFlags = ['--max-semi-space-size=16']
