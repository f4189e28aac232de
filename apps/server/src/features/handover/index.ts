import { feature } from '../../platform/feature.ts'
import { createHandoverJob } from './handover.jobs.ts'
import { createLiveHandovers } from './handover.live.ts'
import { handoversChanged } from './handover.notices.ts'
import { mountHandovers } from './handover.routes.ts'
import { handoverSeeds } from './handover.seeds.ts'
import { createHandovers } from './handover.service.ts'

/** Handover of shifts: a page of what is open, drafted by who was on duty, signed by who takes over. */
export const handover = feature({
  name: 'handover',
  tables: ['handover', 'handover_alarm', 'handover_note', 'handover_shelf'],
  constraints: { handover_taken: 'handoverTaken' },
  seeds: handoverSeeds,
  notices: [handoversChanged],
  create({ config, db, notices }) {
    const service = createHandovers({ db, notices, overdueMinutes: config.handoverOverdueMinutes })
    return {
      service,
      mount: (api) => mountHandovers(api, service),
      live: [createLiveHandovers({ notices })],
      jobs: [createHandoverJob({ db, keptDays: config.historyRetentionDays })],
    }
  },
})
