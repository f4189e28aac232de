import type { RegionNode } from '@voltkeep/contract/regions'
import { regionShape } from '../../../ui/choices/choices.trees.ts'
import { wayTo } from '../../../ui/tree/treeRows.ts'
import { userTexts } from '../users.texts.ts'
import type { entitiesOf } from './permissions.entities.ts'

const words = userTexts.handOver

/** A newly added user, with the values that the administrator typed. */
export interface HandedOver {
  id: string
  loginName: string
  password: string
  mustChangePassword?: boolean | undefined
  roleIds: readonly string[]
  organizationId: string
  /** Undefined: the user has no entries of their own. */
  authorityEntities: ReturnType<typeof entitiesOf> | undefined
}

interface Named {
  id: string
  name: string
}

/** The data permissions in words, regions first, in the order of the form. Empty without entries. */
export function sightWords(
  entities: ReturnType<typeof entitiesOf>,
  known: { regions: readonly RegionNode[]; operators: readonly Named[]; equipTypes: readonly Named[] },
): string[] {
  const nameIn = (all: readonly Named[], id: string) => all.find((each) => each.id === id)?.name ?? id
  const nameOf = (kind: 'R' | 'O' | 'ET', id: string) =>
    kind === 'R'
      ? (wayTo(known.regions, id, regionShape).at(-1)?.label ?? id)
      : nameIn(kind === 'O' ? known.operators : known.equipTypes, id)
  return (['R', 'O', 'ET'] as const).flatMap((kind) => {
    const ids = entities.filter(({ type }) => type === kind).flatMap(({ value }) => value)
    return ids.length === 0 ? [] : [words.someOf(ids.map((id) => nameOf(kind, id)))]
  })
}

/** The message to the new user, one line per fact. */
export const handOverText = (facts: readonly (readonly [name: string, value: string])[]) =>
  facts.map(([name, value]) => `${name}：${value}`).join('\n')
