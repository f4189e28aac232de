import { feature } from '../../platform/feature.ts'
import { createLiveDictionary } from './dictionary.live.ts'
import { dictionaryChanged } from './dictionary.notices.ts'
import { mountDictionary } from './dictionary.routes.ts'
import { dictionarySeeds } from './dictionary.seeds.ts'
import { createDictionary } from './dictionary.service.ts'

export type { Dictionary } from './dictionary.service.ts'
export { dictionaryChanged }

/** Enumerations, and what alarms, events and parameters mean. */
export const dictionary = feature({
  name: 'dictionary',
  tables: ['dictionary_entry', 'semaphore_definition'],
  constraints: { dictionary_entry_code_taken: 'dictionaryCodeTaken' },
  notices: [dictionaryChanged],
  seeds: dictionarySeeds,
  create({ db, notices }) {
    const service = createDictionary({ db, notices })
    return {
      service,
      mount: (api) => mountDictionary(api, service),
      live: [createLiveDictionary({ notices })],
    }
  },
})
