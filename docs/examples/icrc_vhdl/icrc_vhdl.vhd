-- Checks the ICRC of RoCEv2 over IPv4, a byte in a clock, and passes the packet on; tx_user is 1 with the last byte of a bad one.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity icrc_vhdl is
  port (
    clk      : in  std_logic;
    rst_n    : in  std_logic;
    rx_data  : in  std_logic_vector(7 downto 0);
    rx_last  : in  std_logic;
    rx_valid : in  std_logic;
    rx_ready : out std_logic;
    tx_data  : out std_logic_vector(7 downto 0);
    tx_last  : out std_logic;
    tx_user  : out std_logic;
    tx_valid : out std_logic;
    tx_ready : in  std_logic
  );
end entity;

architecture rtl of icrc_vhdl is
  constant start : std_logic_vector(31 downto 0) := x"DEBB20E3";
  signal at    : unsigned(5 downto 0);
  signal crc   : std_logic_vector(31 downto 0);
  signal valid : std_logic;
  signal ready : std_logic;

  function step(c : std_logic_vector(31 downto 0); d : std_logic_vector(7 downto 0)) return std_logic_vector is
    variable v : std_logic_vector(31 downto 0);
  begin
    v := c xor (x"000000" & d);
    for i in 0 to 7 loop
      if v(0) = '1' then
        v := ('0' & v(31 downto 1)) xor x"EDB88320";
      else
        v := '0' & v(31 downto 1);
      end if;
    end loop;
    return v;
  end function;
begin
  ready    <= (not valid) or tx_ready;
  rx_ready <= ready;
  tx_valid <= valid;

  process (clk)
    variable byte  : std_logic_vector(7 downto 0);
    variable after_byte : std_logic_vector(31 downto 0);
  begin
    if rising_edge(clk) then
      if rst_n = '0' then
        valid <= '0';
        at    <= (others => '0');
        crc   <= start;
      elsif ready = '1' then
        byte := rx_data;
        if at = 15 or at = 22 or at = 24 or at = 25 or at = 40 or at = 41 or at = 46 then
          byte := x"FF";
        end if;
        after_byte := crc;
        if at >= 14 then
          after_byte := step(crc, byte);
        end if;
        valid   <= rx_valid;
        tx_data <= rx_data;
        tx_last <= rx_last;
        tx_user <= '0';
        if rx_last = '1' and after_byte /= start then
          tx_user <= '1';
        end if;
        if rx_valid = '1' then
          crc <= after_byte;
          if at /= 63 then
            at <= at + 1;
          end if;
          if rx_last = '1' then
            at  <= (others => '0');
            crc <= start;
          end if;
        end if;
      end if;
    end if;
  end process;
end architecture;
