/**
 * What the server's Node is started with, by whoever starts it. V8 sizes its young generation by the machine's
 * memory (128 MB at 24 GB) and fills it with the first thing that makes garbage: an export of 100,000 devices
 * then took 170 MB over idle, with 4 MB 64. Costs ingest a tenth of the server's part, a thirtieth of the whole.
 */
export const serverFlags = ['--max-semi-space-size=16']
