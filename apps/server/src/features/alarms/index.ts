import { history } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { createLiveAlarms } from './alarms.live.ts'
import { alarmsChanged, alarmsOpened } from './alarms.notices.ts'
import { mountAlarms } from './alarms.routes.ts'
import { alarmSeeds } from './alarms.seeds.ts'
import { createAlarms } from './alarms.service.ts'
import { createAlarmWriter } from './intake/alarms.intake.ts'
import { createRecoveryQueue } from './recoveries/recoveries.queue.ts'
import { createRecoveries, createRecoveryTasks } from './recoveries/recoveries.service.ts'

export type { Alarms } from './alarms.service.ts'
export { alarmsChanged, alarmsOpened }

/** Current alarms and their history. */
export const alarms = feature({
  name: 'alarms',
  tables: ['alarm_history', 'alarm_recovery', 'alarm_state'],
  notices: [alarmsOpened, alarmsChanged],
  seeds: alarmSeeds,
  create({ db, pool, log, notices, use }) {
    const service = createAlarms({ db, notices })
    return {
      service,
      mount: (api) => mountAlarms(api, service, createRecoveries({ db })),
      live: [createLiveAlarms({ db, notices })],
      tasks: [createRecoveryTasks({ db })],
      workers: [createRecoveryQueue({ pool, notices, log })],
      writers: { alarm: createAlarmWriter({ notices, ...use(history) }) },
    }
  },
})
