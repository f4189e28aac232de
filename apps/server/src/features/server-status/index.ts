import { feature } from '../../platform/feature.ts'
import { backups } from '../backups/index.ts'
import { readings } from '../readings/index.ts'
import { mountServerStatus } from './server-status.routes.ts'
import { serverStatusSeeds } from './server-status.seeds.ts'
import { createServerStatus, type ServerStatus } from './server-status.service.ts'

export { diagnosisTexts, writeDiagnosis } from './diagnosis/diagnosis.ts'
export { type Installation, readInstallation } from './installation.queries.ts'

/** The process that answers, the machine under it, and its log files. */
export const serverStatus = feature({
  name: 'server-status',
  seeds: serverStatusSeeds,
  create({ db, config, metrics, version, readiness, warnings, use }) {
    let status: ServerStatus | undefined
    return {
      service: null,
      mount(api) {
        const broker = readiness.find(({ refusal }) => refusal === 'brokerAway')
        status = createServerStatus({
          db,
          config,
          metrics,
          warnings,
          version,
          readReadings: use(readings).readHistoryFigures,
          readBackup: use(backups).last,
          pingBroker: broker?.ping ?? null,
        })
        mountServerStatus(api, status)
      },
      unmount: () => status?.close(),
    }
  },
})
