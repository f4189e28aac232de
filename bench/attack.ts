// `npm run attack [-- --only bodies,fuzz] [--requests 100000]`: Voltkeep under attack, in parts, each with its own
// server. Prints figures and whether each bound was met; the exit code is 1 if one was not. The short forms of the
// same attacks are in `npm test`.
//
// To add a part: a file `attack/<name>.ts` that exports an `AttackPart` (see attack/part.ts), and a line in
// attack/parts.ts. The frame starts the part's server process on free ports with a new DATA_DIR, runs a neighbour (a
// process that calls the API as an ordinary user, so that the part's own work does not delay its timing), and ends
// both. The part measures with `ground.measure(…)` before, during and after the attack, and states each bound with
// `ground.atMost(…)` or `ground.isTrue(…)`; `ground.returnsTo(before)` requires that memory and descriptors return to
// their former values. Options of a part are declared below and read from `ground.options`.
import { parseArgs } from 'node:util'
import { standOn } from './attack/ground.ts'
import { parts } from './attack/parts.ts'

const { values: options } = parseArgs({
  options: {
    /** Names of parts, comma-joined; by default all. */
    only: { type: 'string' },
    /** For the part `fuzz`. */
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    /** The duration of an attack, for parts limited by time. */
    seconds: { type: 'string', default: '20' },
  },
})

const names = options.only?.split(',').map((name) => name.trim()) ?? parts.map(({ name }) => name)
const unknown = names.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}: there are ${parts.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const broken: string[] = []
for (const part of parts.filter(({ name }) => names.includes(name))) {
  console.log(`\n── ${part.name}: ${part.about}`)
  const ground = await standOn(part, options)
  try {
    await part.attack(ground)
  } catch (error) {
    ground.isTrue('the attack came to its end', false, error instanceof Error ? error.stack : String(error))
  } finally {
    await ground.leave()
  }
  if (ground.brokenBounds > 0) broken.push(part.name)
  console.log(`── ${part.name}: ${ground.brokenBounds > 0 ? 'FAILED' : 'ok'}`)
}
console.log(`\n${broken.length > 0 ? `failed: ${broken.join(', ')}` : 'every bound was kept'}`)
process.exit(broken.length > 0 ? 1 : 0)
