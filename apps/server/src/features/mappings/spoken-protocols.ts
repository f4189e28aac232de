// What devices can be told by the protocol that they speak.
import {
  type Ability,
  abilities,
  abilityNames,
  lackedBy,
  protocolNames,
  type SpokenProtocol,
} from '@voltkeep/contract'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { said } from '../../platform/process/language/speech.ts'
import { compileMapping, type MappingUse } from './engine/index.ts'
import { findDocument, findOfDevice } from './mappings.queries.ts'

export type SpokenProtocols = ReturnType<typeof createSpokenProtocols>

/** Versions of mappings whose abilities are remembered. */
const remembered = 500

export function createSpokenProtocols(use: MappingUse) {
  /** By mapping and version, of which none ever changes; the one remembered for longest comes first. */
  const known = new Map<string, readonly Ability[]>()

  async function lacksOf(db: Db, mappingId: number, no: number | null): Promise<readonly Ability[]> {
    if (no === null) return abilities
    const key = `${mappingId} ${no}`
    const before = known.get(key)
    if (before) return before
    const document = await findDocument(db, mappingId, no)
    // Deleted meanwhile: the next question finds none.
    if (!document) return abilities
    const mapping = compileMapping(document, use)
    const lacks = 'problems' in mapping ? abilities : abilities.filter((one) => !mapping.abilities.has(one))
    known.set(key, lacks)
    if (known.size > remembered) known.delete(known.keys().next().value as string)
    return lacks
  }

  async function spokenBy(db: Db, deviceId: number): Promise<SpokenProtocol> {
    const found = await findOfDevice(db, deviceId)
    const isObserved = found?.isObserved ?? false
    if (found && found.protocol !== 'mqtt')
      return { name: protocolNames[found.protocol], lacks: [...lackedBy[found.protocol]], isObserved }
    if (!found?.mapping) return { name: said('标准协议'), lacks: [], isObserved }
    const { id, name, no } = found.mapping
    return { name, lacks: [...(await lacksOf(db, id, no))], isObserved }
  }

  return {
    spokenBy,
    /** Refuses `protocolLacks` where the device's protocol has no words for it, `deviceObserved` where another platform controls it. */
    async requireAbility(db: Db, deviceId: number, ability: Ability): Promise<void> {
      const { lacks, isObserved } = await spokenBy(db, deviceId)
      if (isObserved) refuse('deviceObserved')
      if (lacks.includes(ability))
        throw new Refusal('protocolLacks', null, `该设备的协议不支持${abilityNames[ability]}`)
    },
  }
}
