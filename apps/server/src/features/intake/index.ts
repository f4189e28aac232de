import { historyWindow } from '../../domain/history/index.ts'
import { feature } from '../../platform/feature.ts'
import { createPresence, createReachability, createThrottleMarks } from '../devices/index.ts'
import { createEmbeddedIntake } from './intake.embedded.ts'
import { createExternalIntake } from './intake.external.ts'
import { intakeJobs } from './intake.jobs.ts'
import { mountIntake } from './intake.routes.ts'
import { intakeSeeds } from './intake.seeds.ts'
import { createIntakeRecords } from './intake.service.ts'

/** Devices' way in: the embedded broker or an external one; and the messages and connections it refused. */
export const intake = feature({
  name: 'intake',
  tables: ['intake_refusal'],
  seeds: intakeSeeds,
  create({ config, db, pool, log, notices, metrics, warnings, budget, ports, tls }) {
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
        const needs = { db, log, notices, metrics, lanes, presence, writers, oldestMs }
        const intake =
          mqttUrl === undefined
            ? await createEmbeddedIntake({
                ...needs,
                warnings,
                host: config.mqttHost ?? config.host,
                port: config.mqttTlsOnly ? null : config.mqttPort,
                secure: tls && { port: config.mqttTlsPort, tls },
                proxies: config.trustedProxies ?? [],
                hasProxyHeader: config.mqttProxyProtocol,
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
            // At an external broker devices stay connected while this server is away.
            if (mqttUrl === undefined) await presence.awaitReturn()
            const { port, securePort } = await intake.listen()
            ports.mqttPort = port
            ports.mqttTlsPort = securePort
          },
          async close() {
            presence.close()
            await intake.close()
            await throttles.close()
          },
        }
      },
    }
  },
})
