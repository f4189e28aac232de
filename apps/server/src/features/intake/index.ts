// The door of the intake.
import { Gauge } from 'prom-client'
import { historyWindow } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { createPresence, createReachability, createThrottleMarks } from '../devices/index.ts'
import { dictionaryChanged } from '../dictionary/index.ts'
import { mappings } from '../mappings/index.ts'
import { createCodeBudget } from './code-budget.ts'
import { createThrottling } from './device-throttling.ts'
import { createEmbeddedIntake } from './embedded/embedded-intake.ts'
import { createExternalIntake } from './external-intake.ts'
import { intakeJobs } from './intake.jobs.ts'
import { readDefinedCodes, readStandingAlarms } from './intake.queries.ts'
import { mountIntake } from './intake.routes.ts'
import { intakeSeeds } from './intake.seeds.ts'
import { createIntakeRecords } from './intake.service.ts'

/**
 * How devices get in: over the embedded broker or an external one; and the messages and connections that were refused.
 */
export const intake = feature({
  name: 'intake',
  tables: ['intake_refusal'],
  seeds: intakeSeeds,
  create({ config, db, pool, log, notices, metrics, warnings, budget, ports, early, tls, use }) {
    const service = createIntakeRecords({ db })
    const { mqttUrl, dataDir, historyRetentionDays } = config
    return {
      service,
      mount: (api) => mountIntake(api, service),
      jobs: intakeJobs(service),
      async ingest({ lanes, writers }) {
        const presence = createPresence({ lanes, notices, pool, byReports: mqttUrl !== undefined })
        const throttles = createThrottleMarks({ db, log, notices })
        const oldestMs = () => historyWindow(new Date(), historyRetentionDays).from.getTime()
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
        const needs = { db, log, notices, metrics, lanes, presence, writers, oldestMs, codes, throttling }
        const intake =
          mqttUrl === undefined
            ? await createEmbeddedIntake({
                ...needs,
                warnings,
                mappings: { known, kept },
                host: config.mqttHost ?? config.host,
                port: config.mqttTlsOnly ? null : config.mqttPort,
                secure: tls && { port: config.mqttTlsPort, tls },
                early,
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
              })
        return {
          part: { refusal: 'brokerAway', ping: intake.ping },
          transport: intake.transport,
          async open() {
            await throttles.clearAll()
            if (mqttUrl === undefined) await known.start()
            // At an external broker devices stay connected while this server is away.
            if (mqttUrl === undefined) await presence.awaitReturn()
            const { port, securePort } = await intake.listen()
            ports.mqttPort = port
            ports.mqttTlsPort = securePort
          },
          async close() {
            presence.close()
            await intake.close()
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
