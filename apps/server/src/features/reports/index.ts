import { feature } from '../../platform/feature.ts'
import { createAvailability } from './availability/availability.service.ts'
import { reportJobs } from './days/days.jobs.ts'
import { createQuality } from './quality/quality.service.ts'
import { mountReports } from './reports.routes.ts'
import { reportSeeds } from './reports.seeds.ts'

/** How a time went: how good the alarms were, and how much of it the devices worked. */
export const reports = feature({
  name: 'reports',
  tables: [
    'report_beat',
    'report_chattering',
    'report_day',
    'report_device',
    'report_device_day',
    'report_plan',
    'report_touched',
    'report_window',
  ],
  seeds: reportSeeds,
  create({ config, db }) {
    const { zone, historyRetentionDays: retentionDays } = config
    const quality = createQuality({ db, zone })
    const availability = createAvailability({ db, zone })
    return {
      service: { quality, availability },
      mount: (api) => mountReports(api, quality, availability),
      jobs: reportJobs({ db, zone, retentionDays }),
    }
  },
})
