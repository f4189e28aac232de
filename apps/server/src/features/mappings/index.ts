import { feature } from '../../platform/feature.ts'
import { createKnownMappings } from './known-mappings.ts'
import { mappingJobs } from './mappings.jobs.ts'
import { mappingsChanged } from './mappings.notices.ts'
import { mountMappings } from './mappings.routes.ts'
import { mappingSeeds } from './mappings.seeds.ts'
import { createMappings } from './mappings.service.ts'
import { createSpokenProtocols } from './spoken-protocols.ts'
import { createKeptMessages } from './trials/kept-messages.ts'
import { createTrials } from './trials/trials.service.ts'

export { Fault, type Mapping, Memory } from './engine/index.ts'
export type { KnownMappings } from './known-mappings.ts'
export { createSpokenProtocols, type SpokenProtocols } from './spoken-protocols.ts'
export type { KeptMessages } from './trials/kept-messages.ts'

/** How devices are understood that speak another maker's JSON or bytes over MQTT. */
export const mappings = feature({
  name: 'mappings',
  tables: ['mapping', 'mapping_message', 'mapping_model', 'mapping_version'],
  constraints: { mapping_name_taken: 'mappingTaken', mapping_model_taken: 'mappingModelTaken' },
  notices: [mappingsChanged],
  seeds: mappingSeeds,
  create({ config, db, log, notices }) {
    const use = { isShared: config.mqttUrl !== undefined }
    const service = createMappings({ db, notices, use })
    const trials = createTrials({ db, use })
    return {
      service: {
        ...createSpokenProtocols(use),
        /** For the intake, which starts and closes both. */
        known: () => createKnownMappings({ db, log, notices, use }),
        kept: () => createKeptMessages({ db, log }),
      },
      mount: (api) => mountMappings(api, service, trials),
      jobs: mappingJobs(trials),
    }
  },
})
