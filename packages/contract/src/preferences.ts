// A user's settings of the console, stored on the server so that they are the same in every browser.
import * as z from 'zod/mini'
import { endpoint, nothing, type OutputOf } from './endpoint.ts'
import { text } from './fields.ts'

/** The page sizes that a pager offers. */
export const pageSizes = [10, 20, 30, 50, 100] as const

const columnKeys = z.array(z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9]{0,39}$/))).check(z.maxLength(60))

/** Settings that apply to all lists, with the schema of each value. */
const settings = {
  /** Height of a row: 40 or 32 px. */
  density: z.literal(['normal', 'compact']),
  /** Notification of new critical alarms while the user looks at another page, or the console is in the background. */
  alarmNotice: z.strictObject({ sound: z.boolean(), desktop: z.boolean() }),
  /** Whether the days are drawn above the list of past alarms. */
  alarmDays: z.boolean(),
} as const

/** Settings of one list; the key is followed by a colon and the list's path. */
const listSettings = {
  pageSize: z.literal(pageSizes),
  /** Column keys. Columns that are not in `order` stay at the page's default position. */
  columns: z.strictObject({ order: columnKeys, hidden: columnKeys }),
} as const

type Settings = typeof settings
type ListSettings = typeof listSettings
type ListKey<Name extends string> = `${Name}:/${string}`

export type PreferenceKey = keyof Settings | ListKey<keyof ListSettings>
export type PreferenceValue<Key extends PreferenceKey> = Key extends keyof Settings
  ? OutputOf<Settings[Key]>
  : Key extends ListKey<infer Name>
    ? Name extends keyof ListSettings
      ? OutputOf<ListSettings[Name]>
      : never
    : never

/** The maximum number per user; each list of the product uses two. */
export const preferencesAtMost = 200

/** The schema of a setting's value; undefined for an unknown setting. */
export function preferenceSchema(key: string): z.ZodMiniType | undefined {
  if (Object.hasOwn(settings, key)) return settings[key as keyof Settings]
  const name = /^(\w+):(?:\/[A-Za-z][A-Za-z0-9]*){1,6}$/.exec(key)?.[1]
  return name !== undefined && Object.hasOwn(listSettings, name)
    ? listSettings[name as keyof ListSettings]
    : undefined
}

/**
 * Without a value the setting is deleted. A preference affects only its owner's screen, so it is not in the operation
 * log.
 */
export const savePreference = endpoint({
  method: 'POST',
  path: '/preference/save',
  access: 'signedIn',
  summary: '保存个人偏好设置',
  bodyLimitBytes: 8 * 1024,
  input: z.object({ key: text('设置项', 100), value: z.optional(z.unknown()) }).check(
    z.refine(({ key }) => preferenceSchema(key) !== undefined, {
      error: '设置项不存在',
      path: ['key'],
      abort: true,
    }),
    z.refine(
      ({ key, value }) => value === undefined || preferenceSchema(key)?.safeParse(value).success === true,
      { error: '设置的值无效', path: ['value'] },
    ),
  ),
  reply: nothing(),
})
