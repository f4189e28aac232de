// The door of hawkBit's DDI.
import { errorFields } from '../../platform/database/database.ts'
import { feature } from '../../platform/feature.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { createPolledPresence } from '../devices/index.ts'
import { type DeviceDoor, intake } from '../intake/index.ts'
import { mountDdi } from './agent-calls.ts'
import { missedPolls, requestLimits } from './ddi.rules.ts'
import { createDdi } from './ddi.service.ts'

/** How often silent devices are looked for, at the least. */
const longestLookMs = 30_000

/** Devices whose update agents poll: upgrades by hawkBit's Direct Device Integration API. */
export const ddi = feature({
  name: 'ddi',
  tables: ['ddi_action', 'ddi_device'],
  create({ config, db, pool, log, notices, files, use }) {
    const { ddiPollSeconds: pollSeconds, ddiGatewayToken: gatewaySecret = null, publicUrl } = config
    const presence = createPolledPresence({
      pool,
      notices,
      log,
      intervalMs: pollSeconds * 1_000,
      silentMs: pollSeconds * missedPolls * 1_000,
    })
    let door: DeviceDoor | undefined
    let timer: NodeJS.Timeout | undefined
    return {
      service: {},
      mountDevices(http, { writers }) {
        door = use(intake).openDoor({ protocol: 'ddi', requests: requestLimits, gatewaySecret })
        const failed = createComplaints((error, count) =>
          log.warn(
            { ...errorFields(error), count },
            spoken({ zh: '下载进度暂未写入', en: 'the progress of downloads could not be written for now' }),
          ),
        )
        const service = createDdi({ db, pool, writers, presence })
        mountDdi(http, { ddi: service, door, files, pollSeconds, publicUrl, failed })
        presence.begin()
        timer = setInterval(() => void presence.look(), Math.min(longestLookMs, (pollSeconds * 1_000) / 2))
      },
      async unmount() {
        clearInterval(timer)
        await door?.close()
      },
    }
  },
})
