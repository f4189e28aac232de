import { bodies } from './bodies.ts'
import { files } from './files.ts'
import { fuzz } from './fuzz.ts'
import type { AttackPart } from './part.ts'
import { pipelining } from './pipelining.ts'
import { reach } from './reach.ts'
import { slowReaders } from './readers.ts'
import { rogue } from './rogue.ts'
import { signin } from './signin.ts'
import { silent } from './silent.ts'
import { turns } from './turns.ts'
import { uploads } from './uploads.ts'

/** Every part of `npm run attack`, in the order in which they run. */
export const parts: readonly AttackPart[] = [
  bodies,
  slowReaders,
  files,
  fuzz,
  signin,
  pipelining,
  turns,
  silent,
  uploads,
  rogue,
  reach,
]
