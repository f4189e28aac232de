import { useNavigate } from '@tanstack/react-router'
import type { Opening } from '../../ui/useWalk.ts'

/** The component key of the page of tasks. */
export const upgradePage = 'upgrade/upgradeTask'

/** Goes to a task's own address. The way back leads to the list as it was. */
export function useOpenTask(): (id: string, opening?: Opening) => void {
  const navigate = useNavigate()
  return (task, opening) => void navigate({ to: '.', search: { task } as never, ...opening })
}
