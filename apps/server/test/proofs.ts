// The proofs of every noun: what stands in proofs/, by the name of its feature. The step `proofs` (scripts/proofs.mjs)
// says which are missing.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { NounProofs } from './noun-proofs.ts'

const files = globSync(join(import.meta.dirname, 'proofs/*.ts')).sort()

/** `platform` has the calls that no feature has. */
export const nouns: Readonly<Record<string, NounProofs>> = Object.fromEntries(
  await Promise.all(
    files.map(async (file): Promise<[string, NounProofs]> => {
      const { proofs } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
        proofs?: NounProofs
      }
      return [basename(file, '.ts'), proofs ?? {}]
    }),
  ),
)

/** What all nouns say of a kind, by name. */
function everyNouns<K extends Exclude<keyof NounProofs, 'screens'>>(kind: K): Required<NounProofs>[K] {
  return Object.assign({}, ...Object.values(nouns).map((noun) => noun[kind]))
}

export const references = everyNouns('references')
export const scopes = everyNouns('scope')
export const versions = everyNouns('versions')
export const forms = everyNouns('forms')
export const additions = everyNouns('additions')
export const screens = Object.values(nouns).flatMap((noun) => noun.screens ?? [])
