import { useNavigate } from '@tanstack/react-router'
import type { Opening } from '../../ui/detail/useWalk.ts'

/** The component key of the page of devices. */
export const devicesPage = 'equipment/list'

/**
 * Opens a device of the list in sight. From one device to the next, which replaces the address, the view and what it
 * shows stay: a curve of one cabinet is compared with that of its neighbour.
 */
export function useOpenDevice(): (id: string, opening: Opening) => void {
  const navigate = useNavigate()
  return (id, opening) =>
    void navigate({
      to: '.',
      search: ((current: object) => (opening.replace ? { ...current, open: id } : { open: id })) as never,
      ...opening,
    })
}
