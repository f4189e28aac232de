import { useNavigate } from '@tanstack/react-router'
import { type Opening, openedBeside } from '../../ui/detail/useWalk.ts'

/** The component key of the page of upgrade tasks. */
export const upgradePage = 'upgrade/upgradeTask'

/** Opens a task; going back returns to the list in its former state. */
export function useOpenTask(): (id: string, opening?: Opening) => void {
  const navigate = useNavigate()
  return (task, opening = openedBeside('task')) =>
    void navigate({ to: '.', search: { task } as never, ...opening })
}
