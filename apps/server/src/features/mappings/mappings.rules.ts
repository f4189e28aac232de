import type { MappingDocument } from '@voltkeep/contract'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { compileMapping, type Mapping } from './engine/index.ts'

/** Refuses (400) what cannot be compiled, with all that is wrong. */
export function compiled(document: MappingDocument): Mapping {
  const mapping = compileMapping(document)
  if (!('problems' in mapping)) return mapping
  const [first = '映射有误', ...others] = mapping.problems
  const problemOf = (message: string) => ({ field: 'rules', message })
  return refuseInput(problemOf(first), ...others.map(problemOf))
}
