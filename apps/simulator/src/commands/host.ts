import type { ReportBody, ReportName } from '../outbox.ts'
import type { ActionHost, ActionOptions } from './actions.ts'
import type { LogOptions } from './logs.ts'
import type { SettingHost, SettingOptions } from './settings.ts'
import type { TroublePlan } from './trouble.ts'
import type { UpgradeHost, UpgradeOptions } from './upgrades.ts'

/** The device, as seen by its commands. */
export interface CommandHost extends UpgradeHost, SettingHost, ActionHost {
  report<Name extends ReportName>(name: Name, body: ReportBody<Name>): Promise<unknown>
}

export interface CommandOptions {
  /** With a screen it shows advertisements and reports which; without one it refuses them. */
  hasScreen?: boolean
  /** How much fits on its disk. */
  diskBytes?: number
  /** Whether downloaded files stay readable afterwards. */
  keepsFiles?: boolean
  trouble?: TroublePlan
  upgrade?: UpgradeOptions
  settings?: SettingOptions
  logs?: LogOptions
  actions?: ActionOptions
  /** First and longest window to wait in before a download is tried again. */
  downloadRetryMs?: readonly [first: number, longest: number]
  /** How long it is away when its power fails, and when it starts new firmware. */
  rebootMs?: number
}
