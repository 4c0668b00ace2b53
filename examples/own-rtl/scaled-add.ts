// Made by `neardata types` from the ports of scaled_add; do not edit.

export interface ScaledAdd {
  parameters: "Width";
  streams: {
    /** 16 bits. */
    a: { direction: "in"; message: number };
    b: { direction: "in"; message: number };
    y: {
      direction: "out";
      message: {
        /** 21 bits. */
        sum: number;
        /** 8 bits. */
        number: number;
      };
    };
  };
  inputs: {
    /** 4 bits. */
    scale_i: number;
  };
  outputs: {
    /** 32 bits. */
    count_o: number;
  };
}
