import { feature } from '../../platform/feature.ts'
import { ownUrl } from '../../platform/process/own-url.ts'
import { alarmsChanged, alarmsHandled, alarmsOpened } from '../alarms/index.ts'
import { devicesChanged, devicesOnline, versionsReported } from '../devices/index.ts'
import { logExtractionsChanged } from '../log-extraction/index.ts'
import { batchDevicesChanged, parameterBatchesChanged } from '../parameter-batches/index.ts'
import { sessions } from '../sessions/index.ts'
import { upgradeTargetsChanged, upgradeTasksChanged } from '../upgrades/index.ts'
import { feedJobs } from './feed.jobs.ts'
import { mountFeed } from './feed.routes.ts'
import { createFeed } from './feed.service.ts'

/** What happens, told to other systems in order: they ask, and miss nothing. */
export const feed = feature({
  name: 'feed',
  tables: ['feed_event', 'feed_reader', 'feed_pending', 'feed_state'],
  create({ db, config, notices, ports, use }) {
    const service = createFeed({
      db,
      source: () => ownUrl(config, ports),
      sessions: use(sessions),
      onNews: (wake) => {
        // Reported events publish nothing: a call that waits for them looks again by itself.
        const stops = [
          ...[alarmsOpened, alarmsChanged, alarmsHandled, upgradeTargetsChanged, devicesChanged].map((kind) =>
            notices.subscribe(kind, wake),
          ),
          ...[batchDevicesChanged, logExtractionsChanged].map((kind) => notices.subscribe(kind, wake)),
          ...[devicesOnline, versionsReported, upgradeTasksChanged, parameterBatchesChanged].map((kind) =>
            notices.subscribe(kind, wake),
          ),
        ]
        return () => {
          for (const stop of stops) stop()
        }
      },
    })
    return {
      service,
      mount: (api) => mountFeed(api, service),
      unmount: () => service.close(),
      jobs: feedJobs(db),
    }
  },
})
