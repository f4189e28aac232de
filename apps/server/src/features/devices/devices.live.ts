import { liveDeviceParameters, liveDevices } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import type { NamedIds, Notices } from '../../platform/database/notices/notices.ts'
import { alarmsChanged, alarmsOpened } from '../alarms/index.ts'
import { devicesChanged, devicesOnline, devicesThrottled, parametersReported } from './devices.notices.ts'
import { readDevicesByCode, readDevicesOfEpisodes, readPlacesOfDevices } from './live-devices.queries.ts'

/** Devices in the live stream: a row changes with the connection, with the registry and with its alarms. */
export function createLiveDevices({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun {
  return {
    declared: liveDevices,
    follow({ changed }) {
      /** Tells of the devices that the query finds; where the query fails, that any device may have changed. */
      const tellFound = <Name>(
        names: readonly Name[] | null,
        find: (names: readonly Name[]) => Promise<number[]>,
      ) => {
        if (names === null) changed(null)
        else find(names).then(changed, () => changed(null))
      }
      const ofAlarms = (episodeIds: NamedIds<string>) =>
        tellFound(episodeIds, (ids) => readDevicesOfEpisodes(db, ids))
      const stops = [
        notices.subscribe(devicesOnline, changed),
        notices.subscribe(devicesThrottled, changed),
        notices.subscribe(devicesChanged, (codes) => tellFound(codes, (some) => readDevicesByCode(db, some))),
        notices.subscribe(alarmsOpened, ofAlarms),
        notices.subscribe(alarmsChanged, ofAlarms),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
    placesOf: (ids) => readPlacesOfDevices(db, ids),
  }
}

/** Parameters of devices in the live stream: an open detail reads its device again. */
export const createLiveParameters = ({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun =>
  liveNoun(liveDeviceParameters, notices, {
    changed: parametersReported,
    placesOf: (ids) => readPlacesOfDevices(db, ids),
  })
