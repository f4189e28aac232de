import { feature } from '../../platform/feature.ts'
import { createHandoverJob } from './handover.jobs.ts'
import { mountHandovers } from './handover.routes.ts'
import { handoverSeeds } from './handover.seeds.ts'
import { createHandovers } from './handover.service.ts'

/** Handover of shifts: a page of what is open, drafted by who was on duty, signed by who takes over. */
export const handover = feature({
  name: 'handover',
  tables: ['handover', 'handover_alarm', 'handover_note'],
  constraints: { handover_taken: 'handoverTaken' },
  seeds: handoverSeeds,
  create({ config, db }) {
    const service = createHandovers({ db, overdueMinutes: config.handoverOverdueMinutes })
    return {
      service,
      mount: (api) => mountHandovers(api, service),
      jobs: [createHandoverJob({ db, keptDays: config.historyRetentionDays })],
    }
  },
})
