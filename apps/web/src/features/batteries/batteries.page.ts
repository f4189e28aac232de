import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { type Opening, openedBeside } from '../../ui/detail/useWalk.ts'

/** The component key of the page of batteries. */
export const batteryPage = 'equipment/battery'

export const BatterySearch = z.object({
  /** The code of the open battery; absent for the list. */
  battery: z.optional(z.string().check(z.regex(/^[A-Za-z0-9]{1,32}$/))),
})

/** Opens a battery; going back returns to the list in its former state. */
export function useOpenBattery(): (code: string, opening?: Opening) => void {
  const navigate = useNavigate()
  return (code, opening = openedBeside('battery')) =>
    void navigate({ to: '.', search: { battery: code } as never, ...opening })
}
