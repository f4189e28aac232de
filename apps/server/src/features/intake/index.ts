// The door of the intake.
import { Gauge } from 'prom-client'
import { historyWindow } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import { spoken } from '../../platform/process/sentences.ts'
import {
  createHolding,
  createPresence,
  createReachability,
  createThrottleMarks,
  devicesChanged,
} from '../devices/index.ts'
import { dictionaryChanged } from '../dictionary/index.ts'
import { mappings } from '../mappings/index.ts'
import { createDeviceDoor, type DoorLimits } from './admission/device-door.ts'
import { createIdentities, type Identities } from './admission/device-identities.ts'
import { createAttempts } from './admission/secret-attempts.ts'
import { createSecretChecks } from './admission/secret-checks.ts'
import { createCodeBudget } from './code-budget.ts'
import { createThrottling } from './device-throttling.ts'
import { createEmbeddedIntake } from './embedded/embedded-intake.ts'
import { createExternalIntake } from './external-intake.ts'
import { intakeJobs } from './intake.jobs.ts'
import { findDevicesByCode, readDefinedCodes, readStandingAlarms } from './intake.queries.ts'
import { mountIntake } from './intake.routes.ts'
import { intakeSeeds } from './intake.seeds.ts'
import { createIntakeRecords } from './intake.service.ts'
import { createRefusals, type Refusals } from './intake-refusals.ts'

export type { AdmittedDevice, DeviceDoor } from './admission/device-door.ts'

/**
 * How devices get in: over the embedded broker or an external one; and the messages and connections that were refused.
 */
export const intake = feature({
  name: 'intake',
  tables: ['intake_refusal'],
  seeds: intakeSeeds,
  create({ config, db, pool, nodes, log, notices, metrics, warnings, budget, ports, early, tls, use }) {
    const records = createIntakeRecords({ db })
    const attempts = createAttempts()
    let recorded: Refusals | undefined
    let found: Identities | undefined
    // One of each in a process, by whichever way devices come.
    const refusals = () => {
      recorded ??= createRefusals({ db, log, metrics })
      return recorded
    }
    const identities = () => {
      if (!found) {
        const made = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
        // For the life of the process. Who else hears of changed devices subscribes later, and finds them as they are now.
        notices.subscribe(devicesChanged, made.forget)
        found = made
      }
      return found
    }
    const checks = () => createSecretChecks({ attempts, refusals: refusals() })
    const service = {
      ...records,
      /** The way in of devices that come by another protocol. Role api. */
      openDoor: (limits: DoorLimits) =>
        createDeviceDoor({ identities: identities(), refusals: refusals(), checks: checks(), ...limits }),
    }
    const { mqttUrl, dataDir, historyRetentionDays } = config
    return {
      service,
      mount: (api) => mountIntake(api, service),
      jobs: intakeJobs(service),
      async ingest({ lanes, writers }) {
        const holding = mqttUrl === undefined ? createHolding({ lanes, notices, pool, nodes, log }) : null
        const presence = createPresence({ lanes, notices, holding })
        const throttles = createThrottleMarks({ db, log, notices })
        const oldestMs = () => historyWindow(new Date(nodes.now()), historyRetentionDays).from.getTime()
        const throttling = createThrottling(throttles.mark)
        const complain = createComplaints((err, count) =>
          log.warn(
            { err, count },
            spoken({
              zh: '告警和编码的上限暂未读取',
              en: 'the limits of alarms and codes could not be read for now',
            }),
          ),
        )
        const codes = createCodeBudget({
          limits: { openAlarms: config.deviceMaxOpenAlarms, unknownCodes: config.deviceMaxUnknownCodes },
          readDefined: () => readDefinedCodes(db),
          readStanding: (deviceId, most) => readStandingAlarms(db, deviceId, most),
          throttle: throttling.throttle,
          complain,
        })
        const unsubscribe = notices.subscribe(dictionaryChanged, codes.definitionsChanged)
        new Gauge({
          name: 'voltkeep_intake_throttled_devices',
          help: 'Devices that are throttled now',
          registers: [metrics],
          collect() {
            this.set(throttling.count)
          },
        })
        const known = use(mappings).known()
        const kept = use(mappings).kept()
        const { now } = nodes
        const needs = {
          db,
          log,
          notices,
          metrics,
          lanes,
          presence,
          writers,
          oldestMs,
          now,
          codes,
          throttling,
          refusals: refusals(),
        }
        const intake =
          mqttUrl === undefined
            ? await createEmbeddedIntake({
                ...needs,
                warnings,
                isServing: () => nodes.isHeld,
                listElsewhere: holding?.listElsewhere ?? (async () => []),
                mappings: { known, kept },
                host: config.mqttHost ?? config.host,
                port: config.mqttTlsOnly ? null : config.mqttPort,
                secure: tls && { port: config.mqttTlsPort, tls },
                early,
                identities: identities(),
                checks: checks(),
                proxies: config.trustedProxies ?? [],
                hasProxyHeader: config.mqttProxyProtocol,
                conductLimits: {
                  messagesPerSecond: config.deviceMessagesPerSecond,
                  messageBurst: config.deviceMessageBurst,
                  bytesPerSecond: config.deviceBytesPerSecond,
                },
                limits: {
                  inAll: budget.devices,
                  strangers: Math.min(config.mqttMaxStrangers, Math.ceil(budget.devices / 2)),
                  strangersPerAddress: config.mqttMaxStrangersPerAddress,
                  perAddress: config.mqttMaxConnectionsPerAddress ?? null,
                },
              })
            : await createExternalIntake({
                ...needs,
                url: mqttUrl,
                dataDir,
                reachability: createReachability({ db, notices }),
                identities: identities(),
              })
        return {
          part: { refusal: 'brokerAway', ping: intake.ping },
          transport: intake.transport,
          deviceCount: intake.deviceCount,
          async open() {
            await throttles.clearAll()
            if (mqttUrl === undefined) await known.start()
            holding?.start()
            const { port, securePort } = await intake.listen()
            ports.mqttPort = port
            ports.mqttTlsPort = securePort
          },
          async drain(overMs) {
            presence.leave()
            await intake.drain(overMs)
          },
          async close() {
            presence.close()
            await intake.close()
            await holding?.stop()
            unsubscribe()
            codes.close()
            known.close()
            await kept.close()
            throttling.close()
            await throttles.close()
          },
        }
      },
    }
  },
})
