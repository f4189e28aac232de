import { history } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { createEventWriter } from './events.intake.ts'
import { mountEvents } from './events.routes.ts'
import { eventSeeds } from './events.seeds.ts'
import { createEvents } from './events.service.ts'

export const events = feature({
  name: 'events',
  tables: ['event_history'],
  seeds: eventSeeds,
  create({ db, use }) {
    const service = createEvents({ db })
    return {
      service,
      mount: (api) => mountEvents(api, service),
      writers: { event: createEventWriter(use(history)) },
    }
  },
})
