// People whose decisions act later by themselves: a planned task, an automatic upgrade, an advertisement.
import * as z from 'zod/mini'
import { saidOut } from './fields.ts'

/**
 * Why a decision acts no more: its user was deleted or disabled, has lost the function that it needs, or is an API key that
 * has expired. A key is disabled with its maker, and while that user is in another organization.
 */
export const deciderStops = ['deleted', 'disabled', 'expired', 'lostFunction'] as const
export type DeciderStop = (typeof deciderStops)[number]

const stopTexts: Readonly<Record<DeciderStop, string>> = {
  deleted: '已不存在',
  disabled: '已停用',
  expired: '已过期',
  lostFunction: '已没有所需的权限',
}

export const StoppedDecider = z.object({
  /** What the user did, as a noun: 创建人. */
  role: saidOut,
  name: z.string(),
  reason: z.enum(deciderStops),
})
export type StoppedDecider = z.output<typeof StoppedDecider>

/** `创建人 liwei 已停用` */
export const describeStop = ({ role, name, reason }: StoppedDecider): string =>
  `${role} ${name} ${stopTexts[reason]}`
