import type { Job } from '../../platform/jobs/jobs.ts'
import type { Devices } from './devices.service.ts'

export const deviceJobs = (devices: Pick<Devices, 'trimConnections'>): Job[] => [
  { name: 'devices.trimConnections', everyMs: 3_600_000, run: () => devices.trimConnections() },
]
