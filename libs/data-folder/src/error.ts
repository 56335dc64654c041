/** The data folder or a backup cannot be used: in use, torn, not a backup. The message says what to do. */
export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError'
}

/** Another process uses the data folder. */
export class DataFolderInUseError extends DataFolderError {
  override readonly name = 'DataFolderInUseError'
  /** In words: its process and machine. */
  readonly owner: string

  constructor(message: string, owner: string) {
    super(message)
    this.owner = owner
  }
}
