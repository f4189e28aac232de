// Devices' messages about commands: the reply to each, the advertisements that a device keeps, and the progress of an
// upgrade.
import * as z from 'zod/mini'
import { described, listOf, shortText, upHead } from './fields.ts'

/** How a command ended on the device. */
export const commandOutcomes = ['done', 'refused', 'failed'] as const
export type CommandOutcome = (typeof commandOutcomes)[number]

export const CommandReply = z.object({
  ...upHead,
  commandId: described('The `id` of the command that this answers.', shortText(64)),
  outcome: described(
    '`done`: executed. `refused`: the device will never do it. `failed`: the device tried and failed.',
    z.enum(commandOutcomes, { error: `应为 ${commandOutcomes.join('、')} 之一` }),
  ),
  reason: described(
    'Why it was refused or failed, in words for the operator. Shown as it is.',
    z.optional(shortText(200)),
  ),
})
export type CommandReply = z.output<typeof CommandReply>

/** The present state of an advertisement on a device. */
export const advertisementStates = ['stored', 'shown'] as const
export type AdvertisementState = (typeof advertisementStates)[number]

export const AdvertisementReport = z.object({
  ...upHead,
  advertisements: described(
    'All advertisements that the device keeps, each once. An empty list: none.',
    listOf(
      {
        advertisementId: described('As the `advertise` command gave it.', shortText(64)),
        state: described(
          '`shown`: its period has begun and the device shows it. `stored`: complete, not shown now.',
          z.enum(advertisementStates, { error: `应为 ${advertisementStates.join('、')} 之一` }),
        ),
      },
      { least: 0, most: 200 },
    ).check(
      z.refine(
        (list) => new Set(list.map(({ advertisementId }) => advertisementId)).size === list.length,
        '含有重复的广告',
      ),
    ),
  ),
})
export type AdvertisementReport = z.output<typeof AdvertisementReport>

/** The progress of an upgrade that a device has accepted. */
export const upgradeProgressStates = ['downloading', 'installing', 'installed', 'failed'] as const
export type UpgradeProgressState = (typeof upgradeProgressStates)[number]

export const UpgradeReport = z.object({
  ...upHead,
  targetId: described('As the `upgrade` command gave it.', shortText(64)),
  state: described(
    '`installed`: written, and about to be started. `failed`: this try is over; the old version runs on.',
    z.enum(upgradeProgressStates, { error: `应为 ${upgradeProgressStates.join('、')} 之一` }),
  ),
  percent: described(
    'Of the download or of the installation.',
    z.optional(
      z
        .int({ error: '应为 0 到 100 的整数' })
        .check(z.minimum(0, '应为 0 到 100 的整数'), z.maximum(100, '应为 0 到 100 的整数')),
    ),
  ),
  reason: described('Why it failed, in words for the operator. Shown as it is.', z.optional(shortText(200))),
})
export type UpgradeReport = z.output<typeof UpgradeReport>
