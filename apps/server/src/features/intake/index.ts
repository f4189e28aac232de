// The door of the intake.
import type { DeviceProtocol } from '@voltkeep/contract'
import { Gauge } from 'prom-client'
import { historyWindow } from '../../domain/history/index.ts'
import { joinTransports, type OwnTransport } from '../../platform/devices/commands/transport.joined.ts'
import { ConnectionLimiter } from '../../platform/devices/mqtt/connection-limiter.ts'
import { feature } from '../../platform/feature.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import { amongNetworks } from '../../platform/process/networks.ts'
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
import { createLines, type DeviceLines, type LinesNeeds } from './admission/lines.ts'
import { createAttempts } from './admission/secret-attempts.ts'
import { createSecretChecks } from './admission/secret-checks.ts'
import { createCodeBudget } from './code-budget.ts'
import { createThrottling } from './device-throttling.ts'
import { observeLimits } from './embedded/connection-limits.ts'
import { createConduct } from './embedded/device-conduct.ts'
import { createEmbeddedIntake } from './embedded/embedded-intake.ts'
import { createExternalIntake } from './external-intake.ts'
import { intakeJobs } from './intake.jobs.ts'
import { findDevicesByCode, readDefinedCodes, readStandingAlarms } from './intake.queries.ts'
import { mountIntake } from './intake.routes.ts'
import { intakeSeeds } from './intake.seeds.ts'
import { createIntakeRecords } from './intake.service.ts'
import { createRefusals, type Refusals } from './intake-refusals.ts'
import { countMessages } from './message-handler.ts'

export type { AdmittedDevice, DeviceDoor } from './admission/device-door.ts'
export type { Device } from './admission/device-identities.ts'
export type {
  DeviceLine,
  DeviceLines,
  LineMessage,
  LineReport,
} from './admission/lines.ts'
export type { CommandReplyGiven } from './message-handler.ts'

/** Protocols besides MQTT by which a device stays connected to a process. */
const stayConnected: readonly DeviceProtocol[] = ['ocpp16']

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
        // For the life of the process. Who else hears of changed devices subscribes later, and finds them as they are now:
        // connections rely on it.
        notices.subscribe(devicesChanged, made.forget)
        found = made
      }
      return found
    }
    const checks = () => createSecretChecks({ attempts, refusals: refusals() })
    /** What lines need; null where this process has not the role ingest. */
    let forLines: LinesNeeds | null = null
    const lines: { part: Parameters<DeviceLines['join']>[0]; lines: DeviceLines }[] = []
    const otherTransports: OwnTransport[] = []
    const service = {
      ...records,
      /** The way in of devices that stay connected by another protocol; null where this process takes no devices. */
      openLines(options: Parameters<typeof createLines>[1]): DeviceLines | null {
        if (!forLines) return null
        const opened = createLines(forLines, options, (part) => {
          lines.push({ part, lines: opened })
          otherTransports.push(part.transport)
        })
        return opened
      },
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
        // Devices at an external broker belong to no process.
        const holding = createHolding({
          lanes,
          notices,
          pool,
          nodes,
          log,
          protocols: mqttUrl === undefined ? ['mqtt', ...stayConnected] : stayConnected,
        })
        const ownPresence = createPresence({ lanes, notices, holding })
        const presence = mqttUrl === undefined ? ownPresence : createPresence({ lanes, notices })
        const limits = {
          inAll: budget.devices,
          strangers: Math.min(config.mqttMaxStrangers, Math.ceil(budget.devices / 2)),
          strangersPerAddress: config.mqttMaxStrangersPerAddress,
          perAddress: config.mqttMaxConnectionsPerAddress ?? null,
        }
        const proxies = config.trustedProxies ?? []
        const limiter = new ConnectionLimiter({
          ...limits,
          isProxy: amongNetworks(proxies),
          met: observeLimits({ limits, metrics, log }),
        })
        const isServing = () => nodes.isHeld
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
        const conduct = createConduct({
          limits: {
            messagesPerSecond: config.deviceMessagesPerSecond,
            messageBurst: config.deviceMessageBurst,
            bytesPerSecond: config.deviceBytesPerSecond,
          },
          throttle: throttling.throttle,
        })
        const needs = {
          counters: countMessages(metrics),
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
        forLines = {
          ...needs,
          presence: ownPresence,
          identities: identities(),
          checks: checks(),
          limiter,
          conduct,
          tls,
          isServing,
        }
        const intake =
          mqttUrl === undefined
            ? await createEmbeddedIntake({
                ...needs,
                warnings,
                isServing,
                listElsewhere: holding.listElsewhere,
                mappings: { known, kept },
                host: config.mqttHost ?? config.host,
                port: config.mqttTlsOnly ? null : config.mqttPort,
                secure: tls && { port: config.mqttTlsPort, tls },
                early,
                identities: identities(),
                checks: checks(),
                proxies,
                hasProxyHeader: config.mqttProxyProtocol,
                conduct,
                hasRateLimit: config.deviceMessagesPerSecond > 0,
                limits,
                limiter,
              })
            : await createExternalIntake({
                ...needs,
                url: mqttUrl,
                dataDir,
                reachability: createReachability({ db, notices }),
                identities: identities(),
                mappings: { known, kept },
              })
        return {
          part: { refusal: 'brokerAway', ping: intake.ping },
          transport: joinTransports(intake.transport, otherTransports),
          deviceCount() {
            const count = intake.deviceCount()
            return count === null ? null : lines.reduce((sum, { part }) => sum + part.count(), count)
          },
          async open() {
            await throttles.clearAll()
            await known.start()
            holding.start()
            const { port, securePort } = await intake.listen()
            ports.mqttPort = port
            ports.mqttTlsPort = securePort
          },
          async drain(overMs) {
            for (const one of new Set([presence, ownPresence])) one.leave()
            await Promise.all([intake.drain(overMs), ...lines.map(({ part }) => part.drain(overMs))])
          },
          async close() {
            for (const one of new Set([presence, ownPresence])) one.close()
            for (const one of lines) one.lines.close()
            await intake.close()
            conduct.close()
            await holding.stop()
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
