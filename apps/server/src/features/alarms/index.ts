import { history } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { approvals } from '../approvals/index.ts'
import { createLiveAlarms } from './alarms.live.ts'
import {
  alarmsChanged,
  alarmsHandled,
  alarmsOpened,
  alarmsRepeated,
  alarmsUnshelved,
  shelvesChanged,
} from './alarms.notices.ts'
import { mountAlarms } from './alarms.routes.ts'
import { alarmSeeds } from './alarms.seeds.ts'
import { createAlarms } from './alarms.service.ts'
import { createCauseWatch } from './causes/cause-watch.ts'
import { createCauses } from './causes/causes.service.ts'
import { createHandlingJob, createSettlingJob } from './handling/handling.jobs.ts'
import { createHandling, createHandlingTasks } from './handling/handling.service.ts'
import { createAlarmWriter } from './intake/alarms.intake.ts'
import { createRecoveryQueue } from './recoveries/recoveries.queue.ts'
import { createRecoveries, createRecoveryTasks } from './recoveries/recoveries.service.ts'
import { createRepeatFold } from './repeats/repeat-fold.ts'
import { createShelfWatch } from './shelves/shelf-watch.ts'
import { createShelvesJob } from './shelves/shelves.jobs.ts'
import { createShelves } from './shelves/shelves.service.ts'

export type { Alarms } from './alarms.service.ts'
export { countOpenAlarms, listGravestOpen, listNoted, type Shift } from './handling/open-alarms.queries.ts'
export { listPlans, listReached, type Plan } from './shelves/planned.queries.ts'
export {
  isNothing,
  isNotQuiet,
  isQuiet,
  type Quiet,
  readQuiet,
  readShelved,
} from './shelves/quiet.queries.ts'
export { listQuietNow, type QuietNow } from './shelves/quiet-now.ts'
export { alarmsChanged, alarmsHandled, alarmsOpened, alarmsUnshelved }

/** Current alarms and their history. */
export const alarms = feature({
  name: 'alarms',
  tables: [
    'alarm_cause',
    'alarm_cause_member',
    'alarm_handling',
    'alarm_handling_action',
    'alarm_handling_run',
    'alarm_history',
    'alarm_recovery',
    'alarm_repeat',
    'alarm_settled',
    'alarm_shelf',
    'alarm_shelf_cover',
    'alarm_shelf_target',
    'alarm_state',
  ],
  notices: [alarmsOpened, alarmsChanged, alarmsHandled, alarmsRepeated, alarmsUnshelved, shelvesChanged],
  seeds: alarmSeeds,
  create({ config, db, pool, owner, log, notices, use }) {
    const service = createAlarms({ db, notices })
    const handling = createHandling({
      db,
      notices,
      lasts: {
        criticalMs: config.ackMinutesCritical * 60_000,
        otherMs: config.ackMinutes * 60_000,
      },
    })
    const shelves = createShelves({ db, notices, approvals: use(approvals), zone: config.zone })
    return {
      service,
      mount: (api) =>
        mountAlarms(api, service, createRecoveries({ db }), handling, shelves, createCauses({ db })),
      live: [createLiveAlarms({ db, notices })],
      tasks: [createRecoveryTasks({ db }), createHandlingTasks({ db })],
      jobs: [
        createHandlingJob({ db, retentionDays: config.historyRetentionDays }),
        createSettlingJob({ db, owner }),
        createShelvesJob({ db, retentionDays: config.historyRetentionDays }),
      ],
      workers: [
        createRecoveryQueue({ pool, notices, log }),
        createShelfWatch({ db, notices, log }),
        createRepeatFold({ db, notices, log }),
        createCauseWatch({ db, notices, log }),
      ],
      writers: { alarm: createAlarmWriter({ notices, ...use(history) }) },
    }
  },
})
