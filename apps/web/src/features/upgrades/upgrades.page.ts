import { useNavigate } from '@tanstack/react-router'

/** The component key of the page of tasks. */
export const upgradePage = 'upgrade/upgradeTask'

/** Goes to a task's own address. The way back leads to the list as it was. */
export function useOpenTask(): (id: string) => void {
  const navigate = useNavigate()
  return (task) => void navigate({ to: '.', search: { task } as never })
}
