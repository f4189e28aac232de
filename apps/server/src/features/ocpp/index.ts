// The door of OCPP.
import { errorFields } from '../../platform/database/database.ts'
import { feature } from '../../platform/feature.ts'
import { allowingPublicAnd } from '../../platform/http/outgoing/index.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import { amongNetworks } from '../../platform/process/networks.ts'
import { openSealer } from '../../platform/process/sealing.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { intake } from '../intake/index.ts'
import { mappings } from '../mappings/index.ts'
import { createOcppCodes } from './codes.service.ts'
import { createOcppKeys } from './keys/keys.service.ts'
import { createKnownCodes } from './known-codes.ts'
import { ocppJobs } from './ocpp.jobs.ts'
import { ocppCodesChanged, ocppKeysAsked, ocppRelaysChanged } from './ocpp.notices.ts'
import { mountOcpp } from './ocpp.routes.ts'
import { ocppSeeds } from './ocpp.seeds.ts'
import { createOcppRelays } from './relay/relays.service.ts'
import { mountStations } from './sockets.ts'
import { createStations, type Stations } from './stations.ts'

/** Charging stations that speak OCPP 1.6-J, on the port of HTTP. */
export const ocpp = feature({
  name: 'ocpp',
  tables: [
    'ocpp_connector',
    'ocpp_error_code',
    'ocpp_key_change',
    'ocpp_relay',
    'ocpp_station',
    'ocpp_transaction',
    'ocpp_unknown_code',
  ],
  notices: [ocppCodesChanged, ocppKeysAsked, ocppRelaysChanged],
  seeds: ocppSeeds,
  constraints: { ocpp_error_code_taken: 'ocppCodeTaken', ocpp_relay_pkey: 'relayTaken' },
  create({ config, db, log, notices, use }) {
    const service = createOcppCodes({ db, notices })
    const sealer = openSealer(config)
    const relays = createOcppRelays({ db, notices, sealer })
    const keys = createOcppKeys({ db, notices, sealer, spokenBy: use(mappings).spokenBy })
    const closing: (() => void)[] = []
    let stations: Stations | null = null
    return {
      service,
      mount: (api) => mountOcpp(api, service, relays, keys),
      jobs: ocppJobs(db),
      mountDevices(_http, { servers }) {
        const lines = use(intake).openLines({
          protocol: 'ocpp16',
          isOpenTo: amongNetworks(config.ocppPlainNetworks ?? []),
        })
        if (lines) {
          const codes = createKnownCodes({ db, notices, log })
          void codes.start()
          closing.push(codes.close)
          stations = createStations({
            db,
            log,
            notices,
            lines,
            codes,
            authorizes: config.ocppAuthorize,
            sealer,
            isAllowed: allowingPublicAnd(config.ocppRelayNetworks ?? []),
          })
        }
        const failed = createComplaints((error, count) =>
          log.warn(
            { ...errorFields(error), count },
            spoken({
              zh: '暂时无法校验充电桩登录，充电桩会自行重连',
              en: 'sign-ins of charging stations cannot be checked for now, they will connect again',
            }),
          ),
        )
        closing.push(
          mountStations(servers, {
            lines,
            stations,
            isProxy: amongNetworks(config.trustedProxies ?? []),
            isPlainAllowed: !config.mqttTlsOnly,
            failed,
          }),
        )
      },
      async unmount() {
        for (const close of closing) close()
        await stations?.close()
      },
    }
  },
})
