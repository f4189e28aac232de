/** Settings without limits per device: a bench's few devices send as much as a whole fleet. */
export const noDeviceLimits = {
  DEVICE_MESSAGES_PER_SECOND: '0',
  DEVICE_BYTES_PER_SECOND: '0',
  DEVICE_MAX_OPEN_ALARMS: '1000000',
  DEVICE_MAX_UNKNOWN_CODES: '1000000',
}
