import { existsSync } from 'node:fs'
import { it } from 'vitest'
import { expectDocument, isWriting, page } from './walk.ts'

it.runIf(isWriting || existsSync(page))(
  'every screen stands in docs/screens.md (npm run docs:screens)',
  () => {
    expectDocument()
  },
)
