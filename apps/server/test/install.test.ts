import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Lock {
  packages: Record<string, { dev?: boolean; link?: boolean }>
}
const { packages } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8'),
) as Lock

/** Whether `npm ci --omit=dev` leaves the package out, as `npm start` and `npm run demo` do (scripts/setup.mjs). */
const isLeftOut = (name: string) => packages[`node_modules/${name}`]?.dev

test('a production installation contains no tools for tests and development', () => {
  const tools = ['vitest', 'playwright-core', 'typescript', '@biomejs/biome', 'oxlint', 'knip']
  expect(tools.filter((name) => isLeftOut(name) !== true)).toEqual([])
})

test('a production installation contains what builds the pages', () => {
  expect(['vite', '@vitejs/plugin-react', 'react'].map((name) => [name, isLeftOut(name)])).toEqual([
    ['vite', undefined],
    ['@vitejs/plugin-react', undefined],
    ['react', undefined],
  ])
})
