// The raw output of bench:capacity (docs/capacity.raw.json), from which its page is made.
import type { WayName } from './capacity-worlds.ts'
import type { Machine } from './machine.ts'

/** A rate at which one message in a hundred waits for longer than this is too much. */
export const kneeMs = 1_000

export interface PartSizes {
  devices: number
  /** Devices that report, and how long each rate lasts. */
  reporting: number
  seconds: number
  rates: readonly number[]
  readingsRates: readonly number[]
  commands: number
  many: number
  /** Of the history that is backed up and restored. */
  alarms: number
}

export interface ConnectionFigures {
  devices: number
  isTls: boolean
  connectMs: number
  /** CPU of the server for each connection, µs. */
  serverUs: number
  databaseUs: number
  /** Of all processes of the server. */
  idleBytes: number
  fullBytes: number
  bytesPerDevice: number
  /** kill -9 of all processes: until they are ready, and from then on until all devices are back. */
  startMs?: number
  returnMs?: number
  /** kill -9 of one of several: until all devices are back at the others. */
  failoverMs?: number
  /** Devices that it had. */
  moved?: number
}

export interface RateFigures {
  /** Asked for, and acknowledged, a second. */
  rate: number
  acknowledged: number
  p50: number
  p99: number
  p999: number
  max: number
  serverUs: number
  databaseUs: number
  load: number
}

export interface CommandFigures {
  commands: number
  rate: number
  serverUs: number
  databaseUs: number
}

export interface CampaignFigures {
  devices: number
  plannedMs: number
  rate: number
  serverUs: number
  databaseUs: number
}

export interface RestoreFigures {
  /** Of the database, and of the file. */
  databaseBytes: number
  fileBytes: number
  backupMs: number
  verifyMs: number
  restoreMs: number
}

export const partNames = [
  'connections',
  'messages',
  'readings',
  'commands',
  'campaigns',
  'many',
  'restore',
] as const
export type PartName = (typeof partNames)[number]

/** What was found, and on what. */
export interface Found<Figures> {
  machine: Machine
  /** Processes that ran or waited in the minute before the end. */
  loadAfter: number
  sizes: PartSizes
  postgres?: string
  /** Where it could not be measured. */
  error?: string
  figures?: Figures
}

export type WayFound = {
  connections?: Found<ConnectionFigures[]>
  messages?: Found<RateFigures[]>
  readings?: Found<RateFigures[]>
  commands?: Found<CommandFigures>
  campaigns?: Found<CampaignFigures>
  many?: Found<ConnectionFigures>
  restore?: Found<RestoreFigures>
}
export type Raw = { command: string; ways: Record<WayName, WayFound> }
